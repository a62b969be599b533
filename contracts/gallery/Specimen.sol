// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "../tokens/ERC20.sol";

/// @title What all specimens of the gallery share: an owner, a supply, and the pools that count as markets.
abstract contract Specimen is ERC20 {
    error OnlyOwner();

    address public owner;
    mapping(address pool => bool) public isMarket;

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        _name = name_;
        _symbol = symbol_;
        owner = msg.sender;
        _mint(msg.sender, supply);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert OnlyOwner();
        _;
    }

    function setMarket(address pool, bool market) external onlyOwner {
        isMarket[pool] = market;
    }
}
