"""Pipelines of ``diffusers`` with a few thousand random weights, made from their configurations alone."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any


def _tokenizer(folder: Path) -> Any:
    from transformers import CLIPTokenizer

    letters = [*string.ascii_lowercase, *(f"{letter}</w>" for letter in string.ascii_lowercase)]
    vocabulary = ["<|startoftext|>", "<|endoftext|>", *letters]
    folder.mkdir(parents=True)
    (folder / "vocab.json").write_text(json.dumps({word: place for place, word in enumerate(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 16}')
    return CLIPTokenizer.from_pretrained(str(folder))


def _text_encoder() -> Any:
    from transformers import CLIPTextConfig, CLIPTextModel

    return CLIPTextModel(
        CLIPTextConfig(
            vocab_size=54,
            hidden_size=32,
            intermediate_size=37,
            num_attention_heads=4,
            num_hidden_layers=2,
            max_position_embeddings=16,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
        )
    )


def _vae() -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=(32, 32),
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        sample_size=32,
    )


def text_to_image(folder: Path) -> Path:
    """Make a Stable Diffusion pipeline and save it in ``folder``."""
    import torch
    from diffusers import DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel

    torch.manual_seed(0)
    unet = UNet2DConditionModel(
        block_out_channels=(32, 64),
        layers_per_block=1,
        sample_size=32,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=32,
    )
    pipeline = StableDiffusionPipeline(
        vae=_vae(),
        text_encoder=_text_encoder(),
        tokenizer=_tokenizer(folder.with_name(f"{folder.name}-tokenizer")),
        unet=unet,
        scheduler=DDIMScheduler(steps_offset=1, clip_sample=False),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(str(folder))
    return folder


def text_to_video(folder: Path) -> Path:
    """Make a text-to-video pipeline (ModelScope's) and save it in ``folder``."""
    import torch
    from diffusers import DDIMScheduler, TextToVideoSDPipeline, UNet3DConditionModel

    torch.manual_seed(0)
    unet = UNet3DConditionModel(
        block_out_channels=(4, 8),
        layers_per_block=1,
        sample_size=32,
        down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
        up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"),
        cross_attention_dim=32,
        attention_head_dim=4,
        norm_num_groups=2,
    )
    pipeline = TextToVideoSDPipeline(
        vae=_vae(),
        text_encoder=_text_encoder(),
        tokenizer=_tokenizer(folder.with_name(f"{folder.name}-tokenizer")),
        unet=unet,
        scheduler=DDIMScheduler(steps_offset=1, clip_sample=False),
    )
    pipeline.save_pretrained(str(folder))
    return folder


def image_to_video(folder: Path) -> Path:
    """Make a Stable Video Diffusion pipeline, which is told by a picture alone, and save it in ``folder``."""
    import torch
    from diffusers import (
        AutoencoderKLTemporalDecoder,
        EulerDiscreteScheduler,
        StableVideoDiffusionPipeline,
        UNetSpatioTemporalConditionModel,
    )
    from transformers import CLIPImageProcessor, CLIPVisionConfig, CLIPVisionModelWithProjection

    torch.manual_seed(0)
    unet = UNetSpatioTemporalConditionModel(
        block_out_channels=(32, 64),
        layers_per_block=1,
        sample_size=32,
        in_channels=8,
        out_channels=4,
        down_block_types=("CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal"),
        up_block_types=("UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"),
        cross_attention_dim=32,
        num_attention_heads=8,
        projection_class_embeddings_input_dim=96,
        addition_time_embed_dim=32,
    )
    vae = AutoencoderKLTemporalDecoder(
        block_out_channels=(32, 32), down_block_types=("DownEncoderBlock2D",) * 2, latent_channels=4
    )
    encoder = CLIPVisionModelWithProjection(
        CLIPVisionConfig(
            hidden_size=32,
            projection_dim=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            image_size=224,  # what the pipeline scales its picture to
            intermediate_size=37,
            patch_size=56,
        )
    )
    pipeline = StableVideoDiffusionPipeline(
        vae=vae,
        image_encoder=encoder,
        unet=unet,
        scheduler=EulerDiscreteScheduler(prediction_type="v_prediction", timestep_type="continuous"),
        feature_extractor=CLIPImageProcessor(crop_size=224, size=224),
    )
    pipeline.save_pretrained(str(folder))
    return folder
